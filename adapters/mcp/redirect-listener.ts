import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** The loopback address that the browser is sent to at the end of a login (RFC 8252). */
export interface RedirectListener {
  readonly url: string;
  /** The parameters of the first redirect that belongs to this login. */
  readonly answer: Promise<URLSearchParams>;
  close(): Promise<void>;
}

const PATH = "/callback";

/** Listen on a free port. A request without the `state` of this login is answered with an error, and changes nothing. */
export async function listenForRedirect(state: string): Promise<RedirectListener> {
  const server = createServer();
  const answer = new Promise<URLSearchParams>((resolve) => {
    server.on("request", (request, response) => {
      const parameters = parametersOf(request);
      if (parameters === undefined) return reply(response, 404, "There is nothing here.");
      if (parameters.get("state") !== state)
        return reply(response, 400, "This is not the response to the current login: its state differs.");
      response.once("close", () => resolve(parameters));
      reply(response, 200, "You can close this page, and go back to signalbox.");
    });
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(0, "127.0.0.1", listening);
  });
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("Expected a port of the loopback address.");
  return {
    url: `http://127.0.0.1:${address.port}${PATH}`,
    answer,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function parametersOf({ method, url = "" }: IncomingMessage): URLSearchParams | undefined {
  const at = url.indexOf("?");
  return method === "GET" && url.slice(0, at) === PATH ? new URLSearchParams(url.slice(at)) : undefined;
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    connection: "close",
  });
  response.end(`${text}\n`);
}
