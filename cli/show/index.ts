export { bodyOf, descriptorOf, type ShownDescriptor, titleOf } from "./descriptor.ts";
export { printable, printableOutput } from "./printable.ts";
export { sayRetry } from "./retry.ts";
export { RowFeed, type RowSink } from "./rows.ts";
export { type Style, styleOf } from "./style.ts";
export { sayUsage } from "./usage.ts";
export { OutputWriter } from "./writer.ts";
