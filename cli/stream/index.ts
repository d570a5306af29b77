export { runStream } from "./run-stream.ts";
export { StreamPrinter } from "./stream-printer.ts";
