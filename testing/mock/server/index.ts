export type { MockOptions, MockRequest } from "./record.ts";
export { type MockServer, startMock } from "./server.ts";
