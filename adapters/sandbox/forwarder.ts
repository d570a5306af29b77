// cspell:words fdinfo
/**
 * The program that starts a command in a sandbox: it forwards a port of the loopback there to the socket of the proxy, and names it
 * in the environment. It is the first process of its namespace, so all others end with it. Descriptors that the command would
 * inherit, besides its streams, are closed. Its first connection to the proxy shows that the sandbox has started.
 *
 * Its arguments: the path of the socket, the program, and its arguments.
 */
export const FORWARDER = `"use strict";
const { closeSync, readdirSync, readFileSync } = require("node:fs");
const { connect, createServer } = require("node:net");
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const [socket, program, ...args] = process.argv.slice(2);
const CLOSE_ON_EXEC = 0o2000000;
const flagsOf = (fd) => {
  try {
    return Number.parseInt(/^flags:\\s*(\\d+)/m.exec(readFileSync("/proc/self/fdinfo/" + fd, "utf8"))[1], 8);
  } catch {
    // The one that the folder was read with.
    return CLOSE_ON_EXEC;
  }
};
for (const fd of readdirSync("/proc/self/fd").map(Number))
  if (fd > 2 && (flagsOf(fd) & CLOSE_ON_EXEC) === 0) closeSync(fd);
const server = createServer((client) => {
  const proxy = connect(socket);
  for (const [one, other] of [[client, proxy], [proxy, client]])
    one.on("error", () => other.destroy()).on("close", () => other.destroy()).pipe(other);
});
const fail = (error) => {
  console.error(error.message);
  process.exit(127);
};
const sign = connect(socket, () => sign.destroy()).on("error", fail);
server.listen(0, "127.0.0.1", () => {
  const url = "http://127.0.0.1:" + server.address().port;
  const names = ["http_proxy", "https_proxy", "all_proxy"].flatMap((name) => [name, name.toUpperCase()]);
  const own = { no_proxy: "localhost,127.0.0.1,::1", NO_PROXY: "localhost,127.0.0.1,::1", NODE_USE_ENV_PROXY: "1" };
  const env = { ...process.env, ...own, ...Object.fromEntries(names.map((name) => [name, url])) };
  const child = spawn(program, args, { env, stdio: "inherit" });
  child.on("error", fail);
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
});
`;
