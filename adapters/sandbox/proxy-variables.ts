import { PROXY_USER } from "./host-proxy.ts";

/** The variables that name a proxy on a port of the loopback, for all hosts: nothing else is reached. */
export function proxyVariables(port: number, password: string): Readonly<Record<string, string>> {
  const url = `http://${PROXY_USER}:${password}@127.0.0.1:${port}`;
  const names = ["http_proxy", "https_proxy", "all_proxy"].flatMap((name) => [name, name.toUpperCase()]);
  const own = { no_proxy: "", NO_PROXY: "", NODE_USE_ENV_PROXY: "1" };
  return { ...Object.fromEntries(names.map((name) => [name, url])), ...own };
}
