import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { losingJournal } from "../../testing/index.ts";
import type { LosingJournal } from "../../testing/losing-journal.ts";
import { countedIn, startedIn } from "./effects.ts";
import { random } from "./points.ts";
import { Disk, withScene } from "./recorded.ts";
import { recordsOf } from "./records.ts";
import { recover } from "./recovery.ts";
import { CHILD_ID, PROMPT, TASK_ID } from "./scenario.ts";
import { hostIn, optionsIn, runToEnd } from "./scenario-run.ts";

/**
 * Run the task until the sync with this number, then simulate a power failure: only a part of the unsynced bytes reaches
 * the disk.
 */
async function crashAt(sync: number, draw: () => number) {
  const disk = new Disk();
  return withScene(disk, async (scene) => {
    const drivers: LosingJournal[] = [];
    let syncs = 0;
    let lost = 0;
    let goDown: () => void = () => {};
    const down = new Promise<void>((resolve) => {
      goDown = resolve;
    });
    const crash = (): void => {
      for (const driver of drivers) {
        lost += driver.unsynced;
        driver.crash(Math.floor(draw() * driver.unsynced));
      }
      goDown();
    };
    const host = hostIn(scene.place, (taskId) => {
      const driver = losingJournal({
        store: disk.store(taskId),
        sync: (done) => {
          syncs += 1;
          if (syncs === sync) crash();
          // A slow disk: commits made meanwhile wait for the next batch.
          else if (syncs < sync) void turn().then(done);
        },
      });
      drivers.push(driver);
      return driver;
    });
    const published: { readonly taskId: string; readonly seq: number }[] = [];
    host.opened$.subscribe((task) =>
      task.events$.subscribe(({ seq }) => published.push({ taskId: task.id, seq })),
    );
    const task = await host.create({ ...optionsIn(scene.place), id: TASK_ID });
    const ended = runToEnd(host, task, PROMPT).then(
      () => "ended",
      () => "failed",
    );
    if ((await Promise.race([down.then(() => "down"), ended])) !== "down") return undefined;
    const broken: string[] = [];
    const records = new Map([TASK_ID, CHILD_ID].map((id) => [id, recordsOf(disk.content(id))]));
    for (const { taskId, seq } of published)
      if (seq >= (records.get(taskId)?.length ?? 0))
        broken.push(`L11: record ${seq} of ${taskId} was published and is lost`);
    const started = new Set([...records.values()].flatMap(startedIn).map(({ name }) => name));
    for (const name of (await countedIn(scene.place.workspace)).keys())
      if (!started.has(name)) broken.push(`L11: ${name} ran and its start is lost`);
    const recovery = await recover(scene);
    return { ...recovery, broken: [...broken, ...recovery.broken], lost, published: published.length };
  });
}

describe("a power failure that loses unsynced bytes (L11)", () => {
  test("loses no published commit and no started effect, and the task recovers", async () => {
    const draw = random(11);
    let [crashes, lost, published] = [0, 0, 0];
    for (let sync = 1; ; sync += 1) {
      const outcome = await crashAt(sync, draw);
      if (outcome === undefined) break;
      expect(outcome.broken, `at sync ${sync}`).toEqual([]);
      crashes += 1;
      lost += outcome.lost;
      published += outcome.published;
    }
    console.log(`${crashes} crashes; ${lost} unsynced bytes; ${published} published commits, none lost`);
    expect(crashes).toBeGreaterThan(25);
  });
});
