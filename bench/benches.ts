import { asks } from "./asks/index.ts";
import { control } from "./control/index.ts";
import type { BenchOptions, BenchResult } from "./harness/index.ts";
import { history } from "./history/index.ts";
import { load } from "./load/index.ts";
import { logLength } from "./log-length/index.ts";
import { ndjson } from "./ndjson/index.ts";
import { page } from "./page/index.ts";
import { postgres } from "./postgres/index.ts";
import { recovery } from "./recovery/index.ts";
import { server } from "./server/index.ts";
import { start } from "./start/index.ts";
import { streaming } from "./streaming/index.ts";
import { subtasks } from "./subtasks/index.ts";
import { tasks } from "./tasks/index.ts";
import { toolInput } from "./tool-input/index.ts";
import { trace } from "./trace/index.ts";
import { turns } from "./turns/index.ts";

/** All benches by name, in the order of the published tables. */
export const benches: ReadonlyMap<string, (options: BenchOptions) => Promise<readonly BenchResult[]>> =
  new Map([
    ["streaming", streaming],
    ["tool-input", toolInput],
    ["log-length", logLength],
    ["asks", asks],
    ["tasks", tasks],
    ["subtasks", subtasks],
    ["turns", turns],
    ["ndjson", ndjson],
    ["postgres", postgres],
    ["recovery", recovery],
    ["history", history],
    ["load", load],
    ["server", server],
    ["trace", trace],
    ["page", page],
    ["start", start],
    ["control", control],
  ]);
