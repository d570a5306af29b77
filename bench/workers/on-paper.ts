import { cpus } from "node:os";
import { formatNumber } from "../harness/numbers.ts";
import type { Memory } from "./memory.ts";
import type { Sizes } from "./sizes.ts";
import type { Starts } from "./starts.ts";
import type { Throughput } from "./throughput.ts";

const TASKS = 10_000_000;
/** Assumed: one task in so many works at a time. */
const ONE_WORKS_IN = 100;
/** Assumed: seconds between two turns of a task that works. */
const SECONDS_PER_TURN = 30;
/** Bytes of a waiting wake with its indexes, as `bench:wakes` measured it. */
const BYTES_PER_WAKE = 582;

/** Connections that PostgreSQL accepts by default. */
const MAX_CONNECTIONS = 100;

export interface Measured {
  readonly sizes: Sizes;
  readonly throughput: Throughput;
  readonly starts: Starts;
  readonly memory: Memory;
}

/** Format the needs of ten million tasks. They are computed from measured figures; nothing was run. */
export function onPaper({ sizes, throughput, starts, memory }: Measured): string {
  const working = TASKS / ONE_WORKS_IN;
  const turnsPerSecond = working / SECONDS_PER_TURN;
  const workers = Math.ceil(working / memory.tasks);
  const connections = workers * memory.connections;
  const listPerTaskMs = Math.max(0, memory.list.p50 - memory.listBefore.p50) / memory.tasks;
  const cores = Math.ceil((turnsPerSecond / throughput.turnsPerSecond) * cpus().length);
  const resident = memory.before.resident + memory.perTask.resident * memory.tasks;
  const rows = [
    [
      "disk",
      gigabytes(TASKS * starts.bytes.all + working * BYTES_PER_WAKE),
      `${formatNumber(starts.bytes.all)} bytes of a task at rest with one message, of ${sizes.atRest}; ${BYTES_PER_WAKE} of a waiting wake; longer journals add their bytes`,
    ],
    [
      "the index of the list, of that",
      gigabytes(TASKS * starts.bytes.index),
      `${formatNumber(starts.bytes.index)} bytes a task; a page reads the newest entries only`,
    ],
    [
      "page of the list, all at rest",
      `p99 ${formatNumber(starts.list.p99)} ms`,
      `as with ${sizes.atRest} tasks: a B-tree of ten times the entries has at most one more level`,
    ],
    [
      `page of the list, ${working} tasks at work`,
      `${formatNumber(starts.list.p50 + listPerTaskMs * working)} ms`,
      `${formatNumber(listPerTaskMs * 1_000)} us for each task that a worker owns: each list compares them with their summaries`,
    ],
    [
      `workers of ${memory.tasks} tasks`,
      `${workers}, each with ${formatNumber(resident / 1e6)} MB`,
      `${formatNumber(memory.before.resident / 1e6)} MB and ${formatNumber(memory.perTask.resident / 1_000)} KB a task`,
    ],
    [
      "connections",
      `${connections}`,
      `${memory.connections} a worker; PostgreSQL accepts ${MAX_CONNECTIONS} by default; two of each worker listen, which a pooler of transactions can't share`,
    ],
    [
      `cores for ${formatNumber(turnsPerSecond)} turns/s, with the server`,
      `${cores}`,
      `${formatNumber(throughput.turnsPerSecond)} turns/s on ${cpus().length} cores with the server; a server of that rate was not measured`,
    ],
  ];
  return [
    `On paper: ${TASKS} tasks. One in ${ONE_WORKS_IN} works and has a turn every ${SECONDS_PER_TURN} s. Computed from the measured figures, not run.`,
    "",
    "| what | needs | rests on |",
    "|-|-|-|",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ].join("\n");
}

const gigabytes = (bytes: number): string => `${formatNumber(bytes / 1e9)} GB`;
