import path from "node:path";
import { z } from "zod";
import { shutDownAtBudget } from "../../control/protocols/shut-down-at-budget.ts";
import { createHost } from "../../runtime/host.ts";
import { fileJournal } from "../../store/index.ts";
import { crashingJournal, scriptedModel, scriptedToolCall } from "../../testing/index.ts";
import { allowEverything } from "../../tools/index.ts";

const Order = z.object({
  folder: z.string(),
  at: z.object({ record: z.int(), byte: z.int() }).optional(),
  reopen: z.boolean(),
});

/** Runs a task that a protocol with two audits controls, and may kill its own process at a byte of the journal. */
const { folder, at, reopen } = Order.parse(JSON.parse(process.argv[2] ?? ""));
const dir = path.join(folder, "journal");
const WRITES = 6;

const host = createHost({
  dataDir: folder,
  journal: () => (at === undefined ? fileJournal({ dir }) : crashingJournal({ dir, at })),
});
const options = {
  workspace: path.join(folder, "workspace"),
  permissions: { judge: allowEverything() },
  model: scriptedModel((turn) =>
    turn < WRITES
      ? scriptedToolCall("write_to_file", { path: `${turn}.txt`, content: "evil" }, `toolu_${turn}`)
      : scriptedToolCall("attempt_completion", { result: "Done." }),
  ),
  control: {
    protocol: shutDownAtBudget({ threshold: 0.5, auditBudget: 2 }),
    monitors: { trusted: ({ call }) => ({ score: call?.tool === "write_to_file" ? 0.9 : 0.1 }) },
    auditor: () => "harmless",
  },
} satisfies Parameters<typeof host.create>[0];
const task = reopen
  ? await host.open("controlled", options)
  : await host.create({ ...options, id: "controlled" });
const { error } = await task.run(reopen ? undefined : "Write");
await host.closeAll();
process.stdout.write(error?.code ?? "none");
