import { ChildProcess } from "node:child_process";
import { expect, test } from "vitest";
import { RestartedProcess } from "../../../cli/cluster/restarted-process.ts";
import { stillClock } from "../../support/still-clock.ts";

/** A process in name only: the test ends it. */
function restarted() {
  const clock = stillClock();
  const children: ChildProcess[] = [];
  const sentences: string[] = [];
  const signals: unknown[] = [];
  const kept = new RestartedProcess({
    name: "worker 1",
    clock,
    onLine: () => {},
    onRestart: (sentence) => sentences.push(sentence),
    start() {
      const child = new ChildProcess();
      child.stdout = null;
      child.stderr = null;
      child.kill = (signal) => signals.push(signal) > 0;
      children.push(child);
      return child;
    },
  });
  const end = (code: number): boolean => children.at(-1)?.emit("exit", code, null) ?? false;
  return { kept, clock, children, sentences, signals, end };
}

test("the delay doubles with each end, up to 30 seconds", () => {
  const { clock, sentences, children, end } = restarted();
  for (let ends = 0; ends < 7; ends += 1) {
    end(1);
    clock.advance(30_000);
  }
  expect(sentences.map((sentence) => /in (\d+) s/.exec(sentence)?.[1])).toEqual([
    "1",
    "2",
    "4",
    "8",
    "16",
    "30",
    "30",
  ]);
  expect(sentences[0]).toBe("worker 1 ended (exit code 1). It is started again in 1 s.");
  expect(children).toHaveLength(8);
});

test("after a minute of work, the delay is the first one again", () => {
  const { clock, sentences, end } = restarted();
  end(1);
  clock.advance(1_000);
  end(1);
  clock.advance(2_000);
  clock.advance(60_000);
  end(1);
  expect(sentences.at(-1)).toContain("in 1 s");
});

test("a stopped process is not started again", async () => {
  const { kept, clock, children, signals, sentences, end } = restarted();
  const stopped = kept.stop();
  expect(signals).toEqual(["SIGTERM"]);
  end(0);
  await stopped;
  clock.advance(60_000);
  expect(children).toHaveLength(1);
  expect(sentences).toEqual([]);
});

test("a process that waits for its start is stopped at once", async () => {
  const { kept, clock, children, end } = restarted();
  end(1);
  await kept.stop();
  expect(clock.pending).toBe(0);
  expect(children).toHaveLength(1);
});

test("a process that can't be started is tried again", () => {
  const { clock, children, sentences } = restarted();
  children[0]?.emit("error", new Error("spawn ENOENT"));
  expect(sentences).toEqual(["worker 1 ended (spawn ENOENT). It is started again in 1 s."]);
  clock.advance(1_000);
  expect(children).toHaveLength(2);
});
