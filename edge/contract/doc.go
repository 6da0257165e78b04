// Package contract holds no code. Its tests are the contract, read sentence by sentence at the HTTP level: a
// fake origin that counts what it did, the real guard in the real workerd in front of it, and visitors who
// send what browsers, htmx and API clients send. One file covers one section of the contract, and every case
// quotes the sentence that it checks. README.md says how to point the suite at any other guard.
package contract
