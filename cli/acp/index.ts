export { AcpAgent, type AgentOptions } from "./agent.ts";
export type { SessionRequest, SessionSource, SessionTask } from "./session-source.ts";
