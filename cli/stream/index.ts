export { runStream } from "./run-stream.ts";
