import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parallelScript } from "../support/parallel-script.ts";
import { installed } from "./installed.ts";

const box = installed();
const MODES = ["architect", "debug"];
const SCRIPT = parallelScript(MODES, {
  tool: "write_to_file",
  call: (mode) => `{ tool: write_to_file, input: { path: ${mode}.md, content: "${mode}\\n" } }`,
});

describe.concurrent("two subtasks that work at once", () => {
  test("are printed as text, each message as a whole line, and the result of each once", async () => {
    const { process } = await box.onScript(SCRIPT, ["-p", "-y", "Go"]);
    expect(await process.end()).toBe(0);
    const lines = process.stdout.trimEnd().split("\n");
    const own = (line: string): boolean => line !== "[task complete] All done." && !line.includes("newTask");
    for (const [index, mode] of MODES.entries()) {
      const name = `subtask ${index + 1}`;
      expect(lines.filter((line) => line.includes(mode) && own(line))).toEqual([
        `[${name}] ${mode}`,
        expect.stringMatching(new RegExp(`^(\\[${name}\\] )?\\[assistant\\] I am ${mode}\\.$`)),
        expect.stringMatching(
          new RegExp(`^(\\[${name}\\] )?\\[Tool Request\\] newFileCreated ${mode}\\.md$`),
        ),
        expect.stringMatching(new RegExp(`^(\\[${name}\\] )?\\[task complete\\] Done in ${mode}\\.$`)),
      ]);
      expect(lines.filter((line) => line === `[${name} ended]`)).toHaveLength(1);
    }
    expect(lines.at(-1)).toBe("[task complete] All done.");
  });

  test("have their events in json by their ids, and list, show and export name them", async () => {
    const { process, data } = await box.onScript(SCRIPT, ["-p", "-y", "--output-format", "json", "Go"]);
    expect(await process.end()).toBe(0);
    const event = z.object({
      type: z.string(),
      content: z.string().optional(),
      taskId: z.string().optional(),
    });
    const { taskId, events } = z
      .object({ taskId: z.string(), events: z.array(event) })
      .parse(JSON.parse(process.stdout));
    const ids = MODES.map((_, index) => `${taskId}.${index + 1}`);
    for (const [index, id] of ids.entries())
      expect(events.filter((each) => each.taskId === id && each.type === "assistant")).toMatchObject([
        { content: `I am ${MODES[index]}.` },
      ]);

    const listed = await box.does("list", "--all", "--data-dir", data);
    const rows = listed.stdout.split("\n").map((row) => row.trim().split(/\s+/).slice(0, 2));
    const parent = rows.findIndex(([id = ""]) => id !== "" && taskId.startsWith(id));
    expect(rows.slice(parent, parent + 3).map(([, state]) => state)).toEqual(Array(3).fill("completed"));
    expect(
      rows
        .slice(parent + 1, parent + 3)
        .map(([id]) => id?.slice(-2))
        .toSorted(),
    ).toEqual([".1", ".2"]);

    const { stdout } = await box.does("show", taskId, "--data-dir", data);
    for (const number of [1, 2]) expect(stdout.split(`== Subtask ${number} ended`)).toHaveLength(2);
    for (const mode of MODES) expect(stdout).toContain(`Done in ${mode}.`);

    const folder = path.join(box.newFolder(), "exported");
    expect((await box.does("export", taskId, folder, "--data-dir", data)).code).toBe(0);
    expect(readdirSync(folder)).toContain("history_item.json");
    expect(JSON.parse(readFileSync(path.join(folder, "history_item.json"), "utf8"))).toMatchObject({
      status: "completed",
    });
  });
});
