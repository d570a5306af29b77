import { watch } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { anthropic, createHost, type Task } from "../../index.ts";
import { SourceCoverage } from "./coverage.ts";
import { GatedModel } from "./gated-model.ts";

/** The committed list. */
export const PATHS_FILE = "docs/generated/paths.txt";

/** The source files that an event passes. */
export interface EventPath {
  readonly title: string;
  readonly limit: number;
  readonly files: readonly string[];
}

const begin = (index: number, content_block: object) => ({
  type: "content_block_start",
  index,
  content_block,
});
const grow = (index: number, delta: object) => ({ type: "content_block_delta", index, delta });
const text = (index: number, words: string) => grow(index, { type: "text_delta", text: words });
const json = (index: number, part: string) => grow(index, { type: "input_json_delta", partial_json: part });
const end = (index: number) => ({ type: "content_block_stop", index });

/** Follow a text delta, a tool call and an answer through a task with a file journal, a workspace and the SDK over HTTP. */
export async function measurePaths(): Promise<readonly EventPath[]> {
  const folder = await mkdtemp(path.join(tmpdir(), "signalbox-paths-"));
  const workspace = await mkdtemp(path.join(tmpdir(), "signalbox-paths-"));
  const model = new GatedModel();
  const url = await model.start();
  const host = createHost({ dataDir: folder });
  const task = await host.create({
    model: anthropic({ model: "claude-sonnet-4-6", apiKey: "none", baseURL: url }),
    workspace,
  });
  const coverage = new SourceCoverage();
  try {
    await coverage.start();
    const run = task.run("Write two files");
    // The first turn loads what the second one is measured with.
    await turn(model, task, coverage, workspace, "one.txt");
    const paths = await turn(model, task, coverage, workspace, "two.txt");
    await model.request();
    model.send(begin(0, { type: "text", text: "" }), text(0, "Done."), end(0));
    model.end("end_turn");
    await run;
    return paths;
  } finally {
    await host.closeAll();
    model.stop();
    await Promise.all([folder, workspace].map((each) => rm(each, { recursive: true, force: true })));
  }
}

async function turn(
  model: GatedModel,
  task: Task,
  coverage: SourceCoverage,
  workspace: string,
  file: string,
): Promise<readonly EventPath[]> {
  await model.request();
  model.send(begin(0, { type: "text", text: "" }), text(0, "First words, "));
  await hasShown(task, "First words");

  const shown = next(task.events$);
  await coverage.take();
  model.send(text(0, "and more."));
  await shown;
  const delta = await coverage.take();

  model.send(end(0));
  const input = JSON.stringify({ path: file, content: "text\n" });
  model.send(
    begin(1, { type: "tool_use", id: `toolu_${file}`, name: "write_to_file", input: {} }),
    json(1, input.slice(0, -1)),
  );
  await hasShown(task, file);

  const asked = next(task.asks$);
  await coverage.take();
  model.send(json(1, input.slice(-1)), end(1));
  model.end("tool_use");
  await asked;
  const call = await coverage.take();
  await task.flushed();

  const changed = new Promise<void>((resolve) => {
    const watcher = watch(workspace, () => {
      watcher.close();
      resolve();
    });
  });
  await coverage.take();
  const [ask] = task.asks;
  if (ask?.kind !== "tool") throw new Error(`Expected the ask of a tool, received ${ask?.kind}.`);
  ask.approve();
  await changed;
  const answer = await coverage.take();
  return [
    { title: "A text delta, from the event of the SDK to `events$`", limit: 15, files: delta },
    { title: "A call, from its last argument to the question", limit: 25, files: call },
    { title: "An answer, from `approve()` to its effect", limit: 15, files: answer },
  ];
}

/** Format the paths, each with the number of its files. */
export const formatPaths = (paths: readonly EventPath[]): string =>
  paths
    .map(({ title, limit, files }) => `${title}: ${files.length} files, limit ${limit}\n${indented(files)}\n`)
    .join("\n");

const indented = (files: readonly string[]): string => files.map((file) => `  ${file}`).join("\n");

/** Resolves when the newest message has the words, and all work for the commits until then is done. */
async function hasShown(task: Task, words: string): Promise<void> {
  while (task.log.at(-1)?.text?.includes(words) !== true) await next(task.events$);
  await task.flushed();
}

interface Observable<T> {
  subscribe(listener: (value: T) => void): { unsubscribe(): void };
}

const next = <T>(source: Observable<T>): Promise<T> =>
  new Promise((resolve) => {
    const subscription = source.subscribe((value) => {
      queueMicrotask(() => subscription.unsubscribe());
      resolve(value);
    });
  });
