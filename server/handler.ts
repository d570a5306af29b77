import { type AppParts, createApp, problemResponse } from "./app.ts";
import { openApi } from "./openapi.ts";
import { openServices, type ServiceOptions } from "./services.ts";
import type { Connection } from "./stream/response-stream.ts";
import { closing } from "./streams.ts";

export interface OpenHandler {
  fetch(request: Request, connection: Connection): Promise<Response>;
  /** The number of open streams. */
  readonly streams: number;
  /** End all streams. Further requests are rejected with `SERVER_CLOSED`. */
  close(): Promise<void>;
}

/** Open the handler of requests, for a server of this package or any other. */
export function openHandler(parts: ServiceOptions & AppParts): OpenHandler {
  const services = openServices(parts, () => openApi(parts));
  const app = createApp(services, parts);
  const { streams, list, traces } = services;
  return {
    fetch: async (request, connection) =>
      streams.isClosed ? problemResponse(closing(), services) : app.fetch(request, connection),
    get streams() {
      return streams.size;
    },
    async close() {
      const ended = streams.close();
      list.close();
      traces.close();
      await ended;
    },
  };
}
