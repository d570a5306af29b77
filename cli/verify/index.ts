export { doAll, type Far } from "./all.ts";
export { journalOf } from "./journal.ts";
export { foundIn, reportOf, textOf } from "./report.ts";
