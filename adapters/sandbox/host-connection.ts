import { once } from "node:events";
import { type RequestOptions, request } from "node:http";
import { connect, type Socket } from "node:net";
import { proxyOf } from "../../tools/web/proxy.ts";
import type { HostRules } from "./host-rules.ts";

/**
 * Where a request of plain HTTP is sent to: the host of the URL, or the proxy that the environment names.
 *
 * @throws ToolError `PRIVATE_ADDRESS` for a name that a proxy would resolve; ProxyError
 */
export async function hopOf(url: URL, rules: HostRules): Promise<RequestOptions> {
  const outer = proxyOf(url);
  if (outer === undefined)
    return {
      host: nameOf(url),
      port: url.port || 80,
      path: url.pathname + url.search,
      lookup: rules.lookup(url),
    };
  await rules.checkHost(url);
  return { ...outerHop(outer), path: url.href };
}

/**
 * Connect to the port of a URL, perhaps through the proxy of the environment.
 *
 * @throws ToolError `PRIVATE_ADDRESS`; ProxyError; the error of the connection
 */
export async function connectTo(url: URL, rules: HostRules): Promise<Socket> {
  const outer = proxyOf(url);
  if (outer !== undefined) {
    await rules.checkHost(url);
    return connectThrough(outer, `${url.hostname}:${portOf(url)}`);
  }
  const socket = connect({ host: nameOf(url), port: portOf(url), lookup: rules.lookup(url) });
  await once(socket, "connect");
  return socket;
}

const connectThrough = (outer: URL, target: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    request({ ...outerHop(outer), method: "CONNECT", path: target })
      .on("connect", ({ statusCode }, socket) => {
        if (statusCode === 200) resolve(socket);
        else reject(new Error(`The proxy ${outer.host} answered ${statusCode}.`));
      })
      .on("error", reject)
      .end();
  });

function outerHop({ protocol, hostname, port, username, password, host }: URL): RequestOptions {
  if (protocol !== "http:")
    throw new Error(
      `Expected a proxy by HTTP in the environment, received ${protocol}//${host}. Use another one.`,
    );
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = `Basic ${Buffer.from(user).toString("base64")}`;
  return {
    host: hostname,
    port: port || 80,
    headers: username === "" ? {} : { "proxy-authorization": authorization },
  };
}

/** The name or address of a host, without the brackets of an IPv6 address. */
const nameOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1");

const portOf = ({ port }: URL): number => Number(port || 443);
