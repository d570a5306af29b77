export { AcpAgent } from "./agent.ts";
export { orderedStream } from "./ordered-stream.ts";
export type { SessionRequest, SessionSource, SessionTask } from "./session-source.ts";
