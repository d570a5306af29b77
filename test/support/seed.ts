import fc from "fast-check";

/**
 * Properties are tried with the same cases in every run, so that a run says something of the change and nothing of
 * chance; `SIGNALBOX_SEED=random` (or a number) tries others. What a property finds by others becomes a test.
 */
const chosen = process.env.SIGNALBOX_SEED ?? "20261122";
if (chosen !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(chosen) });
