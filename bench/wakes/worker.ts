import { setTimeout as pause } from "node:timers/promises";
import { ENGINES, openEngine } from "./engines.ts";

// Works on wakes until it is killed, and reports each when its handler starts and ends. A task waits for as many ms as
// its name says after a colon; for ever if it says so.
const [name = "", url = "", atOnce = "1"] = process.argv.slice(2);
const engine = ENGINES.find((each) => each === name) ?? "signalbox";
const now = (): number => performance.timeOrigin + performance.now();
const wakes = await openEngine(engine, url);
await wakes.work(
  async (task) => {
    process.send?.({ task, at: now(), type: "started" });
    const hold = task.split(":")[1];
    if (hold === "ever") await new Promise(() => {});
    else if (hold !== undefined) await pause(Number(hold));
    process.send?.({ task, at: now(), type: "ended" });
  },
  { atOnce: Number(atOnce) },
);
process.send?.({ task: "", at: now(), type: "ready" });
process.on("disconnect", () => process.exit(0));
