export { ExchangeError, type ExchangeErrorCode, ROO_FILES, type RooFile } from "./error.ts";
export { fromRoo, parseRooFile } from "./from-roo.ts";
export { type HistoryItem, parseHistoryItem } from "./history-item.ts";
export type { Repair } from "./report.ts";
export { toRoo } from "./to-roo.ts";
