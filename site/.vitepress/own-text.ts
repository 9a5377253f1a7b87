import type { MarkdownRenderer } from "vitepress";

/**
 * Pages are written for people who read them in the repository: what looks like an element or a template in their prose is text.
 * Tables stand in a box that scrolls, also by keyboard.
 */
export function ownText(markdown: MarkdownRenderer): void {
  const { escapeHtml } = markdown.utils;
  const { rules } = markdown.renderer;
  markdown.disable("html_inline");
  rules.text = (tokens, index) => escapeHtml(tokens[index]?.content ?? "").replaceAll("{{", "&#123;&#123;");
  rules.code_inline = (tokens, index, _options, _env, self) => {
    const token = tokens[index];
    return token === undefined
      ? ""
      : `<code v-pre${self.renderAttrs(token)}>${escapeHtml(token.content)}</code>`;
  };
  rules.table_open = () => '<div class="wide" tabindex="0">\n<table>\n';
  rules.table_close = () => "</table>\n</div>\n";
}
