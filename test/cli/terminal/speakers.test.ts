import { expect, test } from "vitest";
import { Speakers } from "../../../cli/terminal/speakers.ts";
import type { TextOutput } from "../../../cli/terminal/text-output.ts";

/** Output that is read back, with the number of tasks that work. */
function open() {
  let text = "";
  let working = 1;
  const isInLine = (): boolean => text !== "" && !text.endsWith("\n");
  const freshLine = (): void => {
    if (isInLine()) text += "\n";
  };
  const output: TextOutput = {
    get isInLine() {
      return isInLine();
    },
    freshLine,
    write: (part) => {
      text += part;
    },
    line: (line) => {
      freshLine();
      text += `${line}\n`;
    },
    transient: () => {},
  };
  const speakers = new Speakers<string>({
    output,
    modelText: {
      grow: (part) => {
        text += part;
      },
      end: freshLine,
    },
    heading: (name) => `== ${name}`,
    name: (name) => name,
    isAlone: () => working === 1,
  });
  return {
    speakers,
    shown: () => text,
    work: (tasks: number) => {
      working = tasks;
    },
  };
}

test("a task that works alone streams its text, and no heading names it", () => {
  const { speakers, shown } = open();
  const root = speakers.open("Task");
  root.modelText.grow("I be");
  expect(shown()).toBe("I be");
  root.modelText.grow("gin.");
  root.modelText.end();
  root.line("* Read a.txt");
  expect(shown()).toBe("I begin.\n* Read a.txt\n");
});

test("each message of tasks that work at once is shown whole once it is complete, below the name of its task", () => {
  const { speakers, shown, work } = open();
  const [one, two] = [speakers.open("One"), speakers.open("Two")];
  work(2);
  one.modelText.grow("I am ");
  two.modelText.grow("And I ");
  one.modelText.grow("one.");
  two.modelText.grow("am two.");
  expect(shown()).toBe("");
  two.modelText.end();
  one.modelText.end();
  one.write("  built\n  half ");
  two.line("* Read a.txt");
  one.write("done\n");
  one.line("  (exit code 0)");
  expect(shown()).toBe(
    "== Two\nAnd I am two.\n== One\nI am one.\n== Two\n* Read a.txt\n== One\n  built\n  half done\n  (exit code 0)\n",
  );
});

test("a text that streams already is shown to its end before another task is heard, also before its question", () => {
  const { speakers, shown, work } = open();
  const [one, two] = [speakers.open("One"), speakers.open("Two")];
  const asked: string[] = [];
  one.modelText.grow("I am ");
  work(2);
  two.line("* Edit a.txt");
  two.afterwards(() => asked.push(shown()));
  expect(asked).toEqual([]);
  work(1);
  one.modelText.grow("one.");
  one.modelText.end();
  expect(asked).toEqual(["I am one.\n== Two\n* Edit a.txt\n"]);
});

test("the output of a command that streams already is cut between its parts, and never within the line of another task", () => {
  const { speakers, shown, work } = open();
  const [one, two] = [speakers.open("One"), speakers.open("Two")];
  one.write("  first\n  Continue? ");
  work(2);
  two.line("* Edit a.txt");
  expect(shown()).toBe("  first\n  Continue? \n== Two\n* Edit a.txt\n");
  one.write("yes\n");
  one.line("  (exit code 0)");
  expect(shown()).toContain("== One\nyes\n  (exit code 0)\n");
});

test("a text that was never completed is shown where its task rests, and the others go on", () => {
  const { speakers, shown, work } = open();
  const [one, two] = [speakers.open("One"), speakers.open("Two")];
  one.modelText.grow("I am");
  work(2);
  two.line("* Edit a.txt");
  one.rest();
  expect(shown()).toBe("I am\n== Two\n* Edit a.txt\n");
});

test("an empty line of a task that did not speak last is no output", () => {
  const { speakers, shown } = open();
  const [one, two] = [speakers.open("One"), speakers.open("Two")];
  one.line("begun");
  one.line("");
  two.line("");
  two.heading("== Two started");
  two.line("");
  expect(shown()).toBe("begun\n\n== Two started\n\n");
});
