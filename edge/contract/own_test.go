//go:build unix

package contract_test

import "testing"

// TestAGuardOfItsOwn runs the cases that start, configure or restart a guard, one after the other: side by side
// they would only wait for each other, in places that the tests of the shared guard need.
func TestAGuardOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		promise string
		test    func(t *testing.T)
	}{
		{"AConnectionThatWasNeverMadeIsARelease", aConnectionThatWasNeverMadeIsARelease},
		{"TheGuardMayRestartBetweenFirstAndDuplicate", theGuardMayRestartBetweenFirstAndDuplicate},
		{"WhenTheHolderDiesTheNextSubmitTakesOver", whenTheHolderDiesTheNextSubmitTakesOver},
		{"TheGuardMayRestartAtAnyStep", theGuardMayRestartAtAnyStep},
		{"ExchangesOfRequestsThatWereCancelledAreDropped", exchangesOfRequestsThatWereCancelledAreDropped},
		{"RotatingTheSecretBreaksNothing", rotatingTheSecretBreaksNothing},
		{"StoresShowNothingWithoutTheSecret", storesShowNothingWithoutTheSecret},
		{"FirstMatchingRuleWins", firstMatchingRuleWins},
		{"ShardsAndKeepMayChange", shardsAndKeepMayChange},
		{"TheScriptTagIsOptional", theScriptTagIsOptional},
		{"AGuardThatWouldCallItselfSaysSo", aGuardThatWouldCallItselfSaysSo},
		{"TheLogMayLeaveOutWhatIsOrdinary", theLogMayLeaveOutWhatIsOrdinary},
		{"WrongConfigurationIs503AndNamed", wrongConfigurationIs503AndNamed},
	} {
		t.Run(c.promise, c.test)
	}
}
