import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FileSpace } from "../../../store/files/file-space.ts";
import { TemporaryFile } from "../../../store/files/temporary-file.ts";

async function opened() {
  const folder = await mkdtemp(path.join(tmpdir(), "temporary-"));
  const file = new TemporaryFile(folder);
  return {
    folder,
    file,
    [Symbol.asyncDispose]: async () => {
      await file.close();
      await rm(folder, { recursive: true });
    },
  };
}

describe("a temporary file", () => {
  test("has each content, and no name that another program could open", async () => {
    await using a = await opened();
    const contents = ["", "one", "two é", "long ".repeat(10_000)].map((text) => Buffer.from(text));
    const saved = await Promise.all(contents.map((content) => a.file.write(content)));
    expect(saved.map((content) => Buffer.from(content.read()))).toEqual(contents);
    expect(await readdir(a.folder)).toEqual([]);
  });

  test("gives the space of a removed content to the next one", async () => {
    await using a = await opened();
    const first = await a.file.write(Buffer.from("first"));
    const second = await a.file.write(Buffer.from("second"));
    first.remove();
    const third = await a.file.write(Buffer.from("third"));
    // The place of the first one, which still knows its length.
    expect(Buffer.from(first.read()).toString()).toBe("third");
    expect(Buffer.from(third.read()).toString()).toBe("third");
    expect(Buffer.from(second.read()).toString()).toBe("second");
  });

  test("is tried again after it could not be created", async () => {
    await using a = await opened();
    const folder = path.join(a.folder, "later");
    const file = new TemporaryFile(folder);
    await expect(file.write(Buffer.from("one"))).rejects.toMatchObject({ code: "ENOENT" });
    await mkdir(folder);
    const content = await file.write(Buffer.from("two"));
    expect(Buffer.from(content.read()).toString()).toBe("two");
    await file.close();
  });

  test("can neither be read nor written once it is closed", async () => {
    await using a = await opened();
    const content = await a.file.write(Buffer.from("one"));
    await a.file.close();
    expect(() => content.read()).toThrow();
    await expect(a.file.write(Buffer.from("two"))).rejects.toThrow("closed");
  });
});

test("places in a file never overlap, and all space is free again once each place is", () => {
  const steps = fc.array(
    fc.record({ bytes: fc.nat(20_000), gives: fc.option(fc.nat(9), { nil: undefined }) }),
  );
  fc.assert(
    fc.property(steps, (taken) => {
      const space = new FileSpace();
      let places: { readonly from: number; readonly bytes: number }[] = [];
      const give = (index: number): void => {
        const place = places[index];
        if (place === undefined) return;
        places = places.filter((other) => other !== place);
        space.give(place.from, place.bytes);
      };
      for (const { bytes, gives } of taken) {
        const from = space.take(bytes);
        for (const place of places)
          expect(from + bytes <= place.from || from >= place.from + place.bytes).toBe(true);
        expect(places.map((place) => place.from)).not.toContain(from);
        places.push({ from, bytes });
        expect(space.end).toBeGreaterThanOrEqual(from + bytes);
        if (gives !== undefined) give(gives % places.length);
      }
      while (places.length > 0) give(places.length >> 1);
      expect(space.end).toBe(0);
    }),
  );
});
