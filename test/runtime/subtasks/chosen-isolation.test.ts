import { describe, expect, test } from "vitest";
import type { IsolationKind } from "../../../ports/subtask-files.ts";
import { git } from "../../adapters/isolation/project.ts";
import type { Rig } from "../../support/host.ts";
import {
  isolationOf,
  merge,
  openRepository,
  results,
  write,
  writer,
} from "../../support/isolated-subtasks.ts";
import {
  askOf,
  Crash,
  completes,
  QUESTION,
  scriptByMode,
  scriptOfRoot,
  subtask,
  subtaskResults,
} from "../../support/subtasks.ts";

const chosen = (mode: string, isolation: string): string =>
  `{ tool: new_task, input: { mode: ${mode}, message: Work in ${mode}., isolation: ${isolation} } }`;

const startOne = (turn: string) => [
  { mode: "code", after: "new_task", turn: completes("All done.") },
  { mode: "code", turn },
  ...writer("one", "a.txt", "ours\\n"),
];

/** The body of the first request, with the tools that the model is offered, and the results of its calls. */
async function runWith(
  turn: string,
  isolation: IsolationKind | "none",
): Promise<readonly [string, string, Rig]> {
  const rig = await openRepository(scriptByMode(...startOne(turn)), { isolation });
  await rig.task.run("Do it");
  const [request] = rig.mock?.requests ?? [];
  return [JSON.stringify(request?.body), results(rig).join("\n"), rig];
}

describe("a call of new_task", () => {
  test("chooses a worktree for one subtask where the option is shared; others share the files", async () => {
    await using rig = await openRepository(
      scriptOfRoot(
        [chosen("one", "worktree"), subtask("two"), merge("root.1")],
        ...writer("one", "a.txt", "ours\\n"),
        ...writer("two", "b.txt", "two\\n"),
      ),
      { isolation: "shared" },
    );
    await rig.task.run("Do it");
    const [one, two, merged] = results(rig);
    expect(one).toContain("It worked in a git worktree");
    expect(two).not.toContain("git worktree");
    expect(merged).toContain("are merged");
    expect([await rig.file("a.txt"), await rig.file("b.txt")]).toEqual(["ours\n", "two\n"]);
    expect(await isolationOf(rig).list()).toEqual([]);
  });

  test("chooses nothing where the option is absent, and is not offered to", async () => {
    const [offered, result, rig] = await runWith(chosen("one", "worktree"), "none");
    await using _ = rig;
    expect(offered).not.toContain("The files that it works on");
    expect(result).toContain("unknown argument 'isolation'");
  });

  test("chooses nothing less strict than the option (law GRANT)", async () => {
    const [offered, result, rig] = await runWith(chosen("one", "shared"), "worktree");
    await using _ = rig;
    expect(offered).toContain('"enum":["worktree","copy"]');
    expect(result).toContain("The arguments of new_task are invalid: 'isolation'");
    expect(await rig.file("a.txt")).toBe("one\n");
    const [ofCopy, , other] = await runWith(subtask("one"), "copy");
    await using __ = other;
    expect(ofCopy).not.toContain("The files that it works on");
    expect(await isolationOf(other).list()).toMatchObject([{ id: "root.1", kind: "copy" }]);
  });

  test("chooses a copy where the option is worktree", async () => {
    const [, , rig] = await runWith(chosen("one", "copy"), "worktree");
    await using _ = rig;
    expect(await isolationOf(rig).list()).toMatchObject([{ id: "root.1", kind: "copy" }]);
    expect(git(rig.dir, "worktree", "list")).not.toContain("root.1");
  });

  test.each(["none", "shared", "copy"] as const)(
    "whose process ended has its choice where the task is opened with %s (L16)",
    async (isolation) => {
      await using rig = await openRepository(
        scriptByMode(
          { mode: "code", after: "new_task", turn: completes("All done.") },
          { mode: "code", turn: chosen("one", "worktree") },
          { mode: "one", after: "write_to_file", turn: completes("One done.") },
          { mode: "one", after: "ask_followup_question", turn: write("a.txt", "ours\\n") },
          { mode: "one", turn: QUESTION },
        ),
        { isolation: "shared" },
      );
      rig.task.run("Do it").catch(() => undefined);
      await askOf(rig.host, "root.1", "question");
      // Its process ended before its files were there.
      for (const record of await isolationOf(rig).list()) await isolationOf(rig).remove(record);
      const crash = new Crash(rig);
      await using copy = await crash.open({ ...(isolation !== "none" && { isolation }), workspace: rig.dir });
      const [resume] = copy.task.asks;
      if (resume?.kind !== "resume") throw new Error("Expected a resume ask.");
      const end = copy.task.settled();
      resume.approve();
      await end;
      expect(subtaskResults(copy.task)[0]).toContain("modified a.txt (+1 -1)");
      expect(subtaskResults(copy.task)[0]).toContain(isolation === "copy" ? "a copy" : "a git worktree");
      expect(await rig.file("a.txt")).toBe("one\n");
    },
  );
});
