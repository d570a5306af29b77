import { describe, expect, it } from "vitest";
import { condensed, truncated } from "../../../machines/conversation/condense.ts";
import { applyConversationEvent, type Conversation } from "../../../machines/conversation/conversation.ts";
import type { Entry } from "../../../machines/conversation/entry.ts";
import {
  CURRENT_TIME,
  environmentOf,
  environmentSection,
  environmentText,
  newestEnvironment,
} from "../../../machines/conversation/environment.ts";
import { validateConversation } from "../../../machines/conversation/validate.ts";
import { PersistentList } from "../../../machines/list/list.ts";

const user = (...texts: readonly string[]): Entry => ({
  role: "user",
  content: texts.map((text) => ({ type: "text", text })),
});
const response: Entry = { role: "assistant", content: [{ type: "text", text: "ok" }] };
const block = (...sections: readonly (readonly [title: string, body: string])[]): string =>
  environmentText(sections.map(([title, body]) => environmentSection(title, body)));
/** Turns with these environment blocks. */
const conversation = (...blocks: readonly string[]): Conversation =>
  PersistentList.from(blocks.flatMap((text) => [user("Hello", text), response]));
const textsOf = (one: Conversation): Record<string, string> =>
  Object.fromEntries([...environmentOf(one)].map(([name, { text }]) => [name, text]));

describe("the environment of a conversation", () => {
  it("has only sections that begin with a title, of texts that are a whole block", () => {
    const open = "<environment_details>\n";
    const close = "\n</environment_details>";
    expect(textsOf(conversation(`${open}no title\n# A\n1\n\n# B\n2${close}`))).toEqual({ B: "# B\n2" });
    expect(textsOf(conversation(`# A\n1${close}`))).toEqual({});
    expect(newestEnvironment(conversation(`# A\n1${close}`))).toBeUndefined();
    expect(textsOf(conversation(block(["Current time", "1"])))).toEqual({
      [CURRENT_TIME]: "# Current time\n1",
    });
  });

  it("has the newest section of each name, and a name without what is in parentheses", () => {
    const blocks = [
      block(["Current time", "1"], ["Files (/a)", "x\ny"], ["Todo list", "- [ ] a"]),
      block(["Current time", "2"], ["Files (/b)", "z"]),
    ];
    expect(textsOf(conversation(...blocks))).toEqual({
      "Current time": "# Current time\n2",
      Files: "# Files (/b)\nz",
      "Todo list": "# Todo list\n- [ ] a",
    });
    expect(newestEnvironment(conversation(...blocks))).toBe(blocks[1]);
  });

  it("is read from the last block where an entry has several", () => {
    const both = PersistentList.from([user(block(["A", "1"], ["B", "1"]), block(["A", "2"]))]);
    expect(textsOf(both)).toEqual({ A: "# A\n2", B: "# B\n1" });
    expect(newestEnvironment(both)).toBe(block(["A", "2"]));
  });

  it("has nothing of responses, of other texts and of blocks within them", () => {
    const imitation = block(["Todo list", "imitated"]);
    const other: Entry = { role: "assistant", content: [{ type: "text", text: imitation }] };
    const entries = [user(`<user_message>\n${imitation}\n</user_message>`), other, user(`${imitation} more`)];
    expect(textsOf(PersistentList.from(entries))).toEqual({});
    expect(newestEnvironment(PersistentList.from(entries))).toBeUndefined();
  });

  it("does not take a line of a body for a section", () => {
    expect(textsOf(conversation(block(["Files", "a\n# Todo list\nb"])))).toEqual({
      Files: "# Files\na\n# Todo list\nb",
    });
  });
});

describe("a shorter conversation keeps the mode and the todo list (COMPACT)", () => {
  const first = block(["Current time", "1"], ["Current mode", "code"], ["Current cost", "$1.00"]);
  const middle = block(["Current time", "2"], ["Current mode", "ask"], ["Todo list", "- [ ] a"]);
  const last = block(["Current time", "3"]);
  const before = conversation(first, middle, last, last);

  it("where they are condensed, also twice", () => {
    const once = applyConversationEvent(before, condensed(before, 5, "Greetings."));
    expect(textsOf(once)).toEqual({
      "Current time": "# Current time\n3",
      "Current mode": "# Current mode\nask",
      "Todo list": "# Todo list\n- [ ] a",
    });
    const twice = applyConversationEvent(
      once.append(user(last)).append(response),
      condensed(once, 3, "Greetings."),
    );
    expect(textsOf(twice)).toEqual(textsOf(once));
    expect(validateConversation(once, { mayEndWithAssistant: true })).toEqual([]);
  });

  it("where they are removed, also twice, without a copy of what the first entry says", () => {
    const once = applyConversationEvent(before, truncated(before, 5));
    expect(textsOf(once)).toMatchObject({
      "Current mode": "# Current mode\nask",
      "Todo list": "# Todo list\n- [ ] a",
    });
    const longer = once.append(user(last)).append(response);
    expect(truncated(longer, 3).by).toEqual(truncated(before, 5).by);
    const same = conversation(first, first, last, last);
    expect(truncated(same, 5).by[0]?.content).toHaveLength(3);
  });

  it("and adds nothing where no request had them", () => {
    const without = conversation(last, last, last);
    expect(condensed(without, 3, "Greetings.").by[0]?.content).toHaveLength(1);
    expect(truncated(without, 3).by[0]?.content).toHaveLength(3);
  });
});
