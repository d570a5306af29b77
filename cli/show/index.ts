export { printable, printableOutput, sayRetry } from "../../client/index.ts";
export { bodyOf, descriptorOf, type ShownDescriptor, titleOf } from "./descriptor.ts";
export { shortIds } from "./ids.ts";
export { showPast, showRow } from "./past.ts";
export { RowFeed, type RowSink } from "./rows.ts";
export { type Style, styleOf } from "./style.ts";
export { sayTime } from "./times.ts";
export { sayUsage } from "./usage.ts";
export { OutputWriter } from "./writer.ts";
