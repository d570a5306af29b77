export type { MockOptions } from "./options.ts";
export type { MockRequest } from "./record.ts";
export { type MockServer, startMock } from "./server.ts";
