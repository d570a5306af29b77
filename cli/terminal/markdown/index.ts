export { type MarkdownSink, MarkdownStream } from "./stream.ts";
