import { startProcess } from "../../../cli/program.ts";

// `cluster dev` starts the commands of its own program. Here, `worker` and `serve` only report how they were called.
const [command = "", ...args] = process.argv.slice(2);
if (command === "cluster") await startProcess("signalbox");
const alive = setInterval(() => {}, 3_600_000);
console.log(`${command} is process ${process.pid}: ${args.join(" ")}`);
if (command === "serve") console.log("Open http://127.0.0.1:1/?token=none");
process.on("SIGTERM", () => {
  console.error(`${command} was asked to end`);
  if (args.includes("--workspace=stubborn")) return;
  console.log(`${command} drained`);
  clearInterval(alive);
});
