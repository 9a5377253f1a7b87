/** How deep lists and quotations are told apart. */
const MAX_INDENT = 8;
const BLOCKS: ReadonlySet<string> = new Set(
  "p div section article main header aside address figure figcaption form fieldset details summary table dl dt dd body".split(
    " ",
  ),
);
const STRONG: ReadonlySet<string> = new Set(["b", "strong"]);
const EMPHASIS: ReadonlySet<string> = new Set(["i", "em"]);

/** Writes Markdown from the beginnings, ends and text of elements, in the order in which a page has them. */
export class MarkdownWriter {
  readonly #base: URL;
  #out: string[] = [];
  /** What has been asked for before the next text: nothing, a space, a line, a paragraph. */
  #gap: 0 | 1 | 2 | 3 = 0;
  #started = false;
  readonly #lists: { ordered: boolean; items: number }[] = [];
  #quotes = 0;
  #pre = 0;
  #cells = 0;
  #bullet = "";
  /** The link that is open, and where its text begins. */
  #link: { from: number; href: string | undefined } | undefined;

  constructor(base: URL) {
    this.#base = base;
  }

  open(name: string, attributes: Record<string, string>): void {
    if (/^h[1-6]$/.test(name)) this.#mark(`${"#".repeat(Number(name[1]))} `);
    else if (BLOCKS.has(name)) this.#ask(3);
    else if (STRONG.has(name)) this.#write("**");
    else if (EMPHASIS.has(name)) this.#write("*");
    else this.#openOther(name, attributes);
  }

  #openOther(name: string, attributes: Record<string, string>): void {
    switch (name) {
      case "br":
        this.#ask(2);
        break;
      case "hr":
        this.#ask(3);
        this.#write("---");
        this.#ask(3);
        break;
      case "ul":
      case "ol":
        this.#ask(this.#lists.length === 0 ? 3 : 2);
        this.#lists.push({ ordered: name === "ol", items: 0 });
        break;
      case "li":
        this.#item();
        break;
      case "blockquote":
        this.#ask(3);
        this.#quotes += 1;
        break;
      case "pre":
        this.#ask(3);
        this.#write("```\n");
        this.#pre += 1;
        break;
      case "code":
        if (this.#pre === 0) this.#write("`");
        break;
      case "tr":
        this.#ask(2);
        this.#cells = 0;
        break;
      case "td":
      case "th":
        this.#write(this.#cells++ === 0 ? "| " : " | ");
        break;
      case "a":
        this.#endLink();
        this.#link = { from: this.#out.length, href: this.#address(attributes.href) };
        break;
      case "img":
        if (attributes.alt !== undefined && attributes.alt.trim() !== "")
          this.text(`[image: ${attributes.alt}]`);
        break;
    }
  }

  close(name: string): void {
    if (/^h[1-6]$/.test(name) || BLOCKS.has(name)) this.#ask(3);
    else if (STRONG.has(name)) this.#out.push("**");
    else if (EMPHASIS.has(name)) this.#out.push("*");
    else this.#closeOther(name);
  }

  #closeOther(name: string): void {
    switch (name) {
      case "ul":
      case "ol":
        this.#lists.pop();
        this.#ask(this.#lists.length === 0 ? 3 : 2);
        break;
      case "li":
        this.#ask(2);
        break;
      case "blockquote":
        this.#quotes = Math.max(0, this.#quotes - 1);
        this.#ask(3);
        break;
      case "pre":
        if (this.#pre === 0) break;
        this.#pre -= 1;
        this.#out.push("\n```");
        this.#ask(3);
        break;
      case "code":
        if (this.#pre === 0) this.#out.push("`");
        break;
      case "a":
        this.#endLink();
        break;
    }
  }

  text(text: string): void {
    if (this.#pre > 0) {
      this.#write(text);
      return;
    }
    const plain = text.replaceAll(/[\s\u00a0]+/g, " ");
    const words = plain.trim();
    if (plain.startsWith(" ")) this.#ask(1);
    if (words === "") return;
    this.#write(words);
    if (plain.endsWith(" ")) this.#ask(1);
  }

  end(): string {
    this.#endLink();
    return this.#out.join("").trim();
  }

  #ask(gap: 1 | 2 | 3): void {
    if (gap > this.#gap) this.#gap = gap;
  }

  #mark(prefix: string): void {
    this.#ask(3);
    this.#write(prefix);
  }

  #item(): void {
    this.#ask(2);
    const list = this.#lists.at(-1);
    if (list !== undefined) list.items += 1;
    this.#bullet = list?.ordered === true ? `${list.items}. ` : "- ";
  }

  #write(text: string): void {
    if (!this.#started) this.#out.push(this.#indent());
    else if (this.#gap === 1) this.#out.push(" ");
    else if (this.#gap > 1) this.#out.push(this.#gap === 2 ? "\n" : "\n\n", this.#indent());
    this.#started = true;
    this.#gap = 0;
    this.#out.push(text);
  }

  #indent(): string {
    const quotes = "> ".repeat(Math.min(this.#quotes, MAX_INDENT));
    const depth = Math.min(this.#lists.length, MAX_INDENT);
    const bullet = this.#bullet;
    this.#bullet = "";
    return `${quotes}${"  ".repeat(Math.max(0, bullet === "" ? depth : depth - 1))}${bullet}`;
  }

  #endLink(): void {
    if (this.#link === undefined) return;
    const { from, href } = this.#link;
    this.#link = undefined;
    const written = this.#out.slice(from).join("");
    // Blocks within a link, or nothing: the text stays, the link does not.
    if (href === undefined || written.trim() === "" || written.trim().includes("\n")) return;
    const [, before = "", label = ""] = /^(\s*)([\s\S]*)$/.exec(written) ?? [];
    this.#out.length = from;
    this.#out.push(`${before}[${label}](${href})`);
  }

  #address(href: string | undefined): string | undefined {
    if (href === undefined || href.length > 2_000 || href.startsWith("#")) return undefined;
    if (!URL.canParse(href, this.#base)) return undefined;
    const url = new URL(href, this.#base);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
  }
}
