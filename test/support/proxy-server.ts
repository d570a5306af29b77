import { createServer, request as send } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { onTestFinished, vi } from "vitest";

/** A proxy for requests and tunnels. */
interface ProxyServer {
  readonly url: string;
  /** Target and credentials of each request: `GET http://host/` or `CONNECT host:443`. */
  readonly requests: readonly string[];
}

/** Starts a proxy that connects to a port of this machine, whatever host is asked for. It ends with the test. */
export async function openProxy(port: number): Promise<ProxyServer> {
  const requests: string[] = [];
  const tunnels = new Set<Socket>();
  const log = (method = "", url = "", authorization = ""): void => {
    requests.push([method, url, authorization].filter((part) => part !== "").join(" "));
  };
  const server = createServer((request, response) => {
    const { method, url = "", headers } = request;
    log(method, url, headers["proxy-authorization"]);
    const { pathname, search } = new URL(url);
    const forward = send({ host: "127.0.0.1", port, method, path: pathname + search, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forward.on("error", () => response.destroy());
    response.on("close", () => forward.destroy());
    request.pipe(forward);
  });
  server.on("connect", ({ method, url, headers }, socket: Socket, head) => {
    log(method, url, headers["proxy-authorization"]);
    const target = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      target.write(head);
      socket.pipe(target).pipe(socket);
    });
    for (const one of [socket, target]) {
      tunnels.add(one);
      one.on("error", () => one.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    for (const socket of tunnels) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address() as AddressInfo;
  return { url: `http://user:pass%20word@127.0.0.1:${address.port}`, requests };
}

/** Sets the variables of proxies, in both cases. Those that are not named are empty. */
export function stubProxies(variables: Readonly<Record<string, string>>): void {
  for (const name of ["http_proxy", "https_proxy", "no_proxy"])
    for (const each of [name, name.toUpperCase()]) vi.stubEnv(each, variables[each] ?? "");
}
