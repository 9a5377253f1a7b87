/**
 * Ordinary English words that stand for like things, a group a line. Put together topic by topic as a small thesaurus
 * would be, for no tool and no query in particular; but by the hand that wrote those, too.
 */
export const THESAURUS = `
weather forecast rain snow storm sunny cloud wind umbrella climate temperature shower drizzle
warm hot heat heating warmer thermostat temperature degree cosy
cold freezing chilly cool fridge freezer cooling
light lamp bulb bright dark dim brightness illuminate glow
color colour red green blue yellow purple orange pink tint paint
sun sunlight glare blinding bright window blind curtain shade shutter
door lock unlock gate entrance key latch
house home flat apartment household room kitchen bedroom lounge bathroom living
burglar thief intruder break steal stole stolen rob theft alarm security guard
camera video film picture watch record
television tv screen film movie series show episode
music song jazz rock pop playlist album tune listen melody band
loud quiet volume noise sound speaker silent
clean vacuum dust dirty wash laundry tidy sweep
garden lawn plant flower water sprinkler
energy electricity power battery charge charging plug electric consumption
car vehicle drive automobile truck ride
taxi cab ride driver pickup lift
train rail railway station platform
flight plane airplane aircraft airport airline fly boarding gate
hotel room stay night overnight lodging accommodation hostel sleep
trip travel journey tour holiday vacation voyage
road street traffic congestion jam route way direction map navigate
place location spot somewhere area nearby near
museum gallery exhibition ticket entrance theatre
country nation border foreign abroad visa passport immigration
language translate translation french german spanish portuguese word foreign
money cash fund euro dollar pound yen currency coin
pay payment paid wire transfer send remit settle
bank account balance saving deposit
card credit debit visa mastercard
bill invoice charge receipt fee
price cost expense spend spending expensive cheap fee amount
salary wage pay payslip earn income earnings paycheck
client customer buyer consumer patron shopper
company business firm employer corporation enterprise
refund reimburse reimbursement return back repay compensation
loan mortgage borrow debt installment credit
share stock equity invest investment market exchange
tax duty levy fiscal
budget limit allowance plan cap
buy purchase order acquire get shop
shop store market retail supermarket catalogue product item
grocery groceries food milk bread egg vegetable fruit fridge supermarket
meal dish dinner lunch breakfast food eat ate pizza burger sandwich snack restaurant
cook recipe bake ingredient kitchen oven dish
restaurant table cafe diner dine reservation
parcel package shipment delivery shipping courier arrive post
gift present voucher
coupon discount voucher promo sale rebate
review rating star opinion feedback
clothes jacket shirt shoe size wear
email mail letter message inbox mailbox
message text chat note line write post
channel group room team
spam junk advert advertisement unwanted
newsletter subscription subscribe unsubscribe mailing advert
phone call telephone ring dial
contact person people somebody friend address
meeting event appointment sync standup conference session gathering
calendar schedule date agenda day
reschedule move postpone delay push later shift
cancel abort call off drop annul withdraw
invite invitation attendee guest participant
accept agree approve confirm yes
decline refuse reject no
free available open vacant
reminder remind nudge alert prompt remember notify
alarm alert warning notification warn
task todo job chore work duty
done complete finish ready
assign delegate give hand
colleague coworker member team teammate staff
absence leave vacation away office holiday absent leaving
hour time minute noon midday clock duration
holiday festival vacation
file document text paper page txt
folder directory
delete remove erase trash discard rid wipe
copy duplicate clone
move rename relocate
read open view see look show
write edit change modify update author wrote
search find look seek locate
compress zip archive pack
image photo picture scan scanned photograph
resize scale shrink enlarge smaller bigger half
recognise recognize ocr scanned text read
access permission share right allow able
version revision release edition
restore recover bring back undo
undo revert rollback reverse back previous
space disk storage size big
code program source software script programming
commit change revision
branch fork
repository repo git
review approve look check inspect
pull request merge proposal review
issue bug problem defect error fault
broken broke crash fail failure
test check verify try
library package dependency module
vulnerability security secure safe unsafe risk exploit
line part piece passage
author who modified blame wrote
server service machine instance host site website
restart reboot bounce reset
deploy release ship launch publish production rollout
scale grow replica capacity
log trace record history
slow latency performance cpu processor memory load speed metric
database table sql data query
backup snapshot copy dump
cloud aws azure hosting
secret password credential key token
certificate tls ssl https expired expire secure
incident outage emergency down
emergency ambulance accident urgent help
doctor physician medical clinic dentist hospital
medicine drug pill tablet medication antibiotic ibuprofen aspirin prescription pharmacy
pharmacy chemist drugstore
ill sick symptom pain fever headache cough
blood pressure heart pulse
sleep rest bed night nap slept
walk step stroll foot
sport workout exercise training run gym fitness
weight kilogram heavy body
drink water glass
calm meditation relax breathe
vaccination vaccine shot booster
laboratory lab result test
`;
