export { formatEvent, sendStream } from "./event-stream.ts";
