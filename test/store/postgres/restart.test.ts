import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasPostgres } from "../../support/postgres.ts";
import { commit, contentOf, contentWith, header, lines } from "../../testing/conformance.ts";
import { PostgresRig } from "./rig.ts";

describe.skipIf(!hasPostgres)("a journal in PostgreSQL", () => {
  let rig: PostgresRig;
  beforeAll(async () => {
    rig = await PostgresRig.start();
  });
  afterAll(() => rig.remove());

  test.each(["fast", "immediate"] as const)(
    "continues after the server was stopped (%s) and started between appends",
    async (mode) => {
      const store = await rig.store();
      const driver = store.journal(rig.newTask());
      await driver.append(lines(header, commit(1)));
      await rig.cluster.stop(mode);
      await expect(driver.append(lines(commit(2)))).rejects.toMatchObject({ code: "JOURNAL_IO" });
      await rig.cluster.resume();
      await driver.append(lines(commit(2), commit(3)));
      expect(String(await contentOf(driver))).toBe(
        String(contentWith(header, commit(1), commit(2), commit(3))),
      );
    },
  );
});
