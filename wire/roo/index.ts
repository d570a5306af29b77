export { ExchangeError, type ExchangeErrorCode, ROO_FILES, type RooFile } from "./error.ts";
export { type FromRoo, fromRoo, parseRooFile, type RooFiles } from "./from-roo.ts";
export type { Mended, MendedRule } from "./report.ts";
export { type ToRoo, toRoo } from "./to-roo.ts";
