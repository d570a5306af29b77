import { machine } from "../harness/machine.ts";
import { table } from "../harness/results.ts";
import { memory } from "./memory.ts";
import { onPaper } from "./on-paper.ts";
import { sizesOf } from "./sizes.ts";
import { starts } from "./starts.ts";
import { throughput } from "./throughput.ts";

// Prints the figures once all are measured. The exit code is 1 if a limit is missed, or a measurement fails.
const [workerFile = "", ...args] = process.argv.slice(2);
const isQuick = args.includes("--quick");
const sizes = sizesOf(isQuick);
const about = `Taken on ${new Date().toISOString().slice(0, 10)}: ${machine()}.`;

const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  const began = performance.now();
  const result = await work();
  console.error(`${name}: ${((performance.now() - began) / 1_000).toFixed(0)} s`);
  return result;
};

const measured = {
  sizes,
  throughput: await timed("turns", () => throughput(workerFile, sizes)),
  starts: await timed("starts", () => starts(workerFile, sizes)),
  memory: await timed("memory", () => memory(workerFile, sizes)),
};
const results = [measured.throughput, measured.starts, measured.memory].flatMap(({ results }) => results);
const note = isQuick ? " Too small for published figures." : "";
console.log(`${about}${note}\n\n${table(results)}\n\n${onPaper(measured)}`);
process.exit(results.every(({ ok }) => ok) ? 0 : 1);
