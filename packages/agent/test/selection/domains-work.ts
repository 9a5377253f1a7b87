/** Tools as servers of five fields of work offer them: `name(parameters): description`, one a line. */
export const WORK: Readonly<Record<string, string>> = {
  mail: `
send_email(to, subject, body, attachments): Send an email to one or more recipients
reply_to_email(message_id, body): Reply to an email that was received
forward_email(message_id, to): Forward an email to somebody else
search_emails(query, folder, since): Search the mailbox for emails by sender, subject or text
read_email(message_id): Read one email with its headers and attachments
archive_email(message_id): Move an email out of the inbox into the archive
delete_email(message_id): Move an email to the trash
mark_email_as_spam(message_id): Report an email as spam and block its sender
create_email_draft(to, subject, body): Save a draft of an email without sending it
list_email_labels(): List the labels of the mailbox
set_out_of_office(start, end, text): Turn on the automatic reply for a period of absence
unsubscribe_newsletter(sender): Stop receiving a newsletter
send_chat_message(channel, text): Post a message to a chat channel
list_chat_channels(query): List the channels of the chat workspace
create_chat_channel(name, members): Create a chat channel and invite its members
set_chat_status(text, emoji): Set the status that others see next to your name in chat
start_video_call(participants): Start a video call and return the link to join
send_sms(phone_number, text): Send an SMS to a phone number
find_contact(name): Look up a person in the address book with phone numbers and addresses
update_contact(contact_id, fields): Change the entry of a person in the address book
`,
  calendar: `
create_event(title, start, end, attendees): Create a calendar event and invite attendees
move_event(event_id, start): Reschedule a calendar event to another time
cancel_event(event_id, message): Cancel a calendar event and notify its attendees
list_events(from, to): List the calendar events between two dates
find_free_slot(attendees, duration): Find a time at which all attendees are available
accept_invitation(event_id): Accept an invitation to an event
decline_invitation(event_id, message): Decline an invitation to an event
book_meeting_room(room, start, end): Book a meeting room
list_meeting_rooms(building, capacity): List meeting rooms with their capacity and equipment
create_task(title, due_date, project): Add a task to the to-do list
complete_task(task_id): Mark a task as done
list_tasks(project, status): List open tasks by project
assign_task(task_id, assignee): Assign a task to a team member
set_reminder(text, at): Set a reminder for a given time
snooze_reminder(reminder_id, until): Postpone a reminder
start_timer(minutes, label): Start a countdown timer
log_working_hours(date, hours, project): Record the hours worked on a project
get_timesheet(week): Show the timesheet of a week
list_public_holidays(country, year): List the public holidays of a country
convert_time_zone(time, from_zone, to_zone): Convert a time between time zones
`,
  files: `
read_file(path): Read the contents of a file
write_file(path, content): Write content to a file, replacing what was there
edit_file(path, old_text, new_text): Replace a passage of text in a file
move_file(source, destination): Move or rename a file
copy_file(source, destination): Copy a file to another path
delete_file(path): Delete a file
list_directory(path): List the entries of a directory
search_files(pattern, path): Find files whose names match a pattern
grep_files(regex, path): Search inside files for lines that match a regular expression
create_archive(paths, format): Compress files into a zip or tar archive
extract_archive(path, destination): Unpack a zip or tar archive
share_document(document_id, email, role): Give another person access to a document
revoke_access(document_id, email): Take away a person's access to a document
convert_document(path, format): Convert a document between formats such as DOCX, PDF and HTML
merge_pdfs(paths): Combine several PDF files into one
ocr_image(path): Recognise the text in a scanned image
resize_image(path, width, height): Scale an image to a width and height
restore_version(document_id, version): Bring back an earlier version of a document
get_disk_usage(path): Report how much space a directory takes
watch_directory(path): Report changes to a directory as they happen
`,
  code: `
git_commit(message, files): Record staged changes in the repository
git_push(remote, branch): Upload local commits to a remote
git_create_branch(name, from): Create a branch
git_diff(from, to): Show the differences between two revisions
git_log(path, limit): Show the commit history of a path
git_blame(path, line): Show who last modified each line of a file
git_revert(commit): Make a commit that reverses an earlier commit
create_pull_request(title, head, base): Open a pull request for a branch
review_pull_request(number, verdict, comments): Approve a pull request or request changes
merge_pull_request(number, method): Merge a pull request into its base branch
create_issue(title, body, labels): Open an issue in the tracker
close_issue(number, reason): Close an issue in the tracker
run_tests(path, filter): Run the test suite
run_linter(path, fix): Check source code for style violations
format_code(path): Format source code
find_references(symbol): Find all places where a symbol is used
rename_symbol(symbol, new_name): Rename a function, class or variable across the project
install_package(name, version): Add a dependency to the project
check_vulnerabilities(): Audit the dependencies for known vulnerabilities
explain_stack_trace(trace): Explain the cause of an exception from its stack trace
`,
  cloud: `
cloud_deploy_service(service, image): Deploy a container image to production
cloud_rollback_service(service, revision): Return a service to a previous revision
cloud_scale_service(service, replicas): Change the number of replicas of a service
cloud_restart_service(service): Restart a service
cloud_get_logs(service, since, level): Fetch log lines of a service
cloud_get_metrics(service, metric, range): Query CPU, memory and latency metrics of a service
cloud_create_alert(metric, threshold): Create an alert on a metric
cloud_acknowledge_incident(incident_id): Acknowledge an incident that pages the engineer on call
cloud_create_database(engine, size): Provision a managed database
cloud_backup_database(database): Take a snapshot of a database
cloud_restore_database(database, snapshot): Restore a database from a snapshot
cloud_run_query(database, sql): Run a read-only SQL query
cloud_create_bucket(name, region): Create an object storage bucket
cloud_upload_object(bucket, key, path): Upload a file to a bucket
cloud_set_secret(name, value): Store a credential in the secret manager
cloud_rotate_key(key_id): Replace an access key by a new one
cloud_add_dns_record(zone, type, value): Add a DNS record to a zone
cloud_renew_certificate(domain): Renew the TLS certificate of a domain
cloud_get_costs(month, group_by): Break down the bill of a month by service
cloud_list_instances(region, state): List virtual machines
`,
};
