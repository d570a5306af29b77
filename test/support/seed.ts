import fc from "fast-check";

/**
 * Properties use the same cases in every run, so that a failure is caused by the change. `SIGNALBOX_SEED=random` (or a
 * number) uses others. A failure with another seed becomes a test.
 */
const chosen = process.env.SIGNALBOX_SEED ?? "20261122";
if (chosen !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(chosen) });
