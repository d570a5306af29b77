import fc from "fast-check";

// That a mutant fails is enough: nobody reads its smallest counterexample.
fc.configureGlobal({ endOnFailure: true, seed: 1 });
