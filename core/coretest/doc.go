// Package coretest proves what core relies on. TestStore is the suite that every claim store must pass, and
// Faulty a store whose messages get lost; testdata holds vectors that every build of core agrees on. Only
// tests import it.
package coretest
