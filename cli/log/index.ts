export { type CheckedLog, checkRecordedLog } from "./recorded-log.ts";
