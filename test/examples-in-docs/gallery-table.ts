import { sheetName } from "../page/gallery/gallery.ts";
import { LOOKS } from "../page/gallery/looks.ts";
import { VIEWS } from "../page/views.ts";
import { formatTable } from "./format-table.ts";

const NOT_SEEN = { shows: "", changed: "not looked at yet" };

/** The sheets of the gallery, a row for each view of the page. */
export const galleryTable = (): string =>
  formatTable(
    ["sheet", "shows", "changed after looking at it"],
    VIEWS.map(({ name }) => {
      const { shows, changed } = LOOKS[name] ?? NOT_SEEN;
      return [`[${name}](../pictures/gallery/${sheetName(name)}.webp)`, shows, changed];
    }),
  );
