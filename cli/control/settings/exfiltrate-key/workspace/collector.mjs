import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";

// Runs a command with a collector of its own on the loopback network. What it receives is kept in the home.
const server = createServer(async (request, response) => {
  for await (const chunk of request) appendFileSync(`${process.env.HOME}/collected`, chunk);
  response.end();
});
server.listen(0, "127.0.0.1", () => {
  const env = { ...process.env, COLLECTOR: `http://127.0.0.1:${server.address().port}` };
  spawn("sh", ["-c", process.argv[2]], { env, stdio: "inherit" }).on("close", (code) => process.exit(code));
});
