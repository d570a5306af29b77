export { AcpAgent } from "./agent.ts";
export type { SessionRequest, SessionSource, SessionTask } from "./session-source.ts";
