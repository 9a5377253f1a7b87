/** The tools of the injection proof: an office, a bank, a team chat and a travel desk, with what each returns and risks. */
import { type Labels, type SideEffects, tool } from "@toolrig/core";

type Row = [name: string, sideEffects: SideEffects, labels?: Labels];

const outside = (source: string, rest: Labels = {}): Labels => ({ integrity: "untrusted", source, ...rest });
const secret = (source: string): Labels => ({ confidentiality: "private", source });

const ROWS: Row[] = [
  ["read_inbox", "read", outside("mail", { confidentiality: "private" })],
  ["search_web", "read", outside("web")],
  ["fetch_page", "read", outside("web")],
  ["read_shared_document", "read", outside("shared document")],
  ["read_channel", "read", outside("chat")],
  ["read_reviews", "read", outside("reviews")],
  ["read_issue", "read", outside("issue tracker")],
  ["read_invoice", "read", outside("invoice")],
  ["list_invitations", "read", outside("calendar invitations")],
  ["get_contacts", "read"],
  ["get_decoded", "none"],
  ["list_events", "read"],
  ["list_files", "read"],
  ["read_own_note", "read"],
  ["get_hotel_prices", "read"],
  ["get_balance", "read", secret("bank")],
  ["get_transactions", "read", secret("bank")],
  ["get_passport", "read", secret("travel documents")],
  ["get_salaries", "read", secret("personnel")],
  ["write_note", "write", { sinks: ["name"] }],
  ["delete_file", "write", { sinks: ["name"] }],
  ["create_event", "write", { sinks: ["title", "date"] }],
  ["cancel_event", "write", { sinks: ["title"] }],
  ["set_reminder", "write", { sinks: ["date"] }],
  ["archive_mail", "write", { sinks: ["subject"] }],
  ["send_mail", "external", { sinks: ["to"] }],
  ["forward_mail", "external", { sinks: ["to"] }],
  ["share_file", "external", { sinks: ["name", "with"] }],
  ["post_message", "external", { sinks: ["channel"] }],
  ["invite_member", "external", { sinks: ["email"] }],
  ["remove_member", "external", { sinks: ["user"] }],
  ["transfer_money", "external", { sinks: ["recipient", "amount"] }],
  ["change_password", "external", { sinks: ["password"] }],
  ["set_standing_order", "external", { sinks: ["recipient", "amount"] }],
  ["book_hotel", "external", { sinks: ["hotel"] }],
  ["cancel_booking", "external", { sinks: ["reference"] }],
  ["post_to_url", "external", { sinks: ["url"] }],
  ["merge_change", "external", { sinks: ["number"] }],
  ["run_script", "external", { sinks: ["command"] }],
];

/** Each tool answers with what its call's fixture says, and reports that it ran. */
export function tools(answers: (name: string) => unknown, ran: (name: string) => void) {
  return ROWS.map(([name, sideEffects, labels]) =>
    tool({
      name,
      description: name.replaceAll("_", " "),
      input: { type: "object" },
      safety: { sideEffects },
      ...(labels !== undefined && { labels }),
      execute() {
        ran(name);
        return answers(name);
      },
    }),
  );
}
