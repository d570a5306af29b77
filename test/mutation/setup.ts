import fc from "fast-check";

// A failure kills the mutant: its counterexample need not be shrunk.
fc.configureGlobal({ endOnFailure: true, seed: 1 });
