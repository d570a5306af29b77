export { doAll, type Far } from "./all.ts";
export { type EmitFlags, emit, refuseExisting } from "./emit.ts";
export { loadMachine } from "./own-machine.ts";
export { foundIn, reportOf, textOf } from "./report.ts";
