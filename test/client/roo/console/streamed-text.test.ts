import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { StreamedText } from "../../../../client/roo/console/streamed-text.ts";

/** Texts with halves of characters and ends of lines wherever they may fall. */
const text = fc.string({
  unit: fc.constantFrom("a", "b", "\r", "\n", "\ud83d", "\ude00", "é", "\x1b", "[", "1", "m"),
});

describe("the chunks of a message's text", () => {
  property.prop([fc.array(text, { minLength: 1 }), fc.array(fc.integer({ min: 2, max: 5 }))])(
    "joined are its text, however it grew and was taken",
    (suffixes, sizes) => {
      const row = new StreamedText();
      let shown = "";
      suffixes.forEach((suffix, index) => {
        // Both ways to say the same.
        if (index % 2 === 0) row.grow(suffix);
        else row.set(row.text + suffix);
        const size = sizes[index];
        if (size !== undefined) shown += row.take(size, false).text;
      });
      while (!row.isTaken) shown += row.take(sizes[0]).text;
      expect(shown).toBe(suffixes.join(""));
    },
  );

  property.prop([fc.array(text, { minLength: 1 })])(
    "joined from the last restart are its text, if the text was replaced",
    (texts) => {
      const row = new StreamedText();
      let shown = "";
      const take = (isWhole: boolean): void => {
        const piece = row.take(undefined, isWhole);
        shown = piece.isRestart ? piece.text : shown + piece.text;
      };
      for (const each of texts) {
        row.set(each);
        take(false);
      }
      take(true);
      const last = texts.at(-1) ?? "";
      // A text that became empty takes nothing back.
      if (last !== "") expect(shown).toBe(last);
    },
  );

  test("never end within a character or a line end while the text may grow", () => {
    const row = new StreamedText();
    row.set("ok\ud83d");
    expect(row.take(undefined, false).text).toBe("ok");
    row.set("ok\ud83d\ude00\r");
    expect(row.take(undefined, false).text).toBe("\ud83d\ude00");
    expect(row.take(undefined, true).text).toBe("\r");
  });

  test("are empty if the text is unchanged", () => {
    const row = new StreamedText();
    row.set("same");
    row.take();
    row.set("same");
    expect(row.isTaken).toBe(true);
  });
});
