/** Tools as servers of five fields of everyday life offer them: `name(parameters): description`, one a line. */
export const LIFE: Readonly<Record<string, string>> = {
  shop: `
search_products(query, category, max_price): Search the catalogue for products
get_product(product_id): Show a product with its price, stock and ratings
add_to_cart(product_id, quantity): Put a product into the shopping cart
remove_from_cart(product_id): Take a product out of the shopping cart
apply_coupon(code): Apply a coupon code to the cart
checkout(payment_method, address): Place the order for what is in the cart
track_order(order_id): Show where a parcel is and when it arrives
cancel_order(order_id): Cancel an order that has not been shipped
return_item(order_id, reason): Send an item of an order back and request a refund
list_orders(since, status): List the orders of a customer
write_product_review(product_id, stars, text): Publish a rating and review of a product
compare_products(product_ids): Compare products feature by feature
notify_when_in_stock(product_id): Get notified when a product is available again
order_groceries(items, delivery_slot): Order groceries for delivery at home
order_meal(restaurant, dishes): Order a meal from a restaurant for delivery
reserve_table(restaurant, people, time): Reserve a table at a restaurant
find_recipe(ingredients, diet): Find a recipe for given ingredients
create_gift_card(amount, recipient): Create a gift card
update_stock_level(product_id, quantity): Set how many pieces of a product are in the warehouse
print_shipping_label(order_id, carrier): Print the shipping label for a parcel
`,
  travel: `
search_flights(origin, destination, date): Search flights between two airports
book_flight(flight_id, passengers): Book a flight
check_in_flight(booking_reference): Check in for a flight and get the boarding pass
get_flight_status(flight_number): Show delay, gate and terminal of a flight
choose_seat(booking_reference, seat): Choose a seat on a flight
search_hotels(city, check_in, check_out): Search hotels in a city
book_hotel(hotel_id, room_type): Book a hotel room
search_trains(origin, destination, date): Search train connections
rent_car(location, from, to): Rent a car
order_taxi(pickup, destination): Order a taxi to a pickup point
get_directions(origin, destination, mode): Get directions by car, bicycle or on foot
get_traffic(area): Show congestion on the roads of an area
find_places_nearby(category, location): Find restaurants, pharmacies and other places near a location
get_weather_forecast(city, days): Get the weather forecast for a city
get_air_quality(city): Show air pollution and pollen levels of a city
convert_currency(amount, from_currency, to_currency): Convert an amount between currencies
check_visa_requirements(nationality, country): Check whether a visa is required to enter a country
translate_text(text, target_language): Translate text into another language
find_charging_station(location, plug): Find a charging station for an electric vehicle
buy_museum_ticket(museum, date): Buy an entrance ticket for a museum
`,
  home: `
home_set_temperature(room, degrees): Set the thermostat of a room
home_turn_on_light(room, brightness): Turn on the lights in a room
home_turn_off_light(room): Turn off the lights in a room
home_set_light_color(room, color): Change the color of a lamp
home_lock_door(door): Lock a door
home_unlock_door(door): Unlock a door
home_show_camera(camera): Show the picture of a security camera
home_arm_alarm(mode): Arm the burglar alarm
home_start_vacuum(rooms): Start the robot vacuum
home_open_blinds(room, percent): Open the window blinds
home_close_blinds(room): Close the window blinds
home_start_washing_machine(program): Start the washing machine
home_preheat_oven(degrees): Preheat the oven
home_water_garden(zone, minutes): Run the garden sprinklers
home_open_garage(): Open the garage door
home_play_music(song, speaker): Play music on a speaker
home_set_volume(speaker, level): Set the volume of a speaker
home_cast_video(title, screen): Play a film or series on the television
home_get_energy_usage(range): Report the electricity consumption of the household
home_run_scene(scene): Activate a scene that sets several devices at once
`,
  health: `
log_meal(food, calories): Record a meal in the food diary
log_weight(kilograms): Record body weight
log_workout(type, minutes): Record a workout
get_step_count(date): Show the number of steps walked on a day
get_sleep_report(night): Show duration and phases of sleep
get_heart_rate(range): Show heart rate measurements
log_blood_pressure(systolic, diastolic): Record a blood pressure measurement
set_fitness_goal(metric, target): Set a fitness target to reach
plan_training(goal, weeks): Make a training plan for several weeks
book_doctor_appointment(specialty, date): Book an appointment with a doctor
cancel_doctor_appointment(appointment_id): Cancel an appointment with a doctor
find_pharmacy(location, open_now): Find a pharmacy that is open
refill_prescription(prescription_id): Request a refill of a prescription
check_drug_interactions(drugs): Check whether medicines can be taken together
check_symptoms(symptoms): Suggest possible causes of symptoms
get_lab_results(test): Show the results of laboratory tests
get_vaccination_record(): Show past vaccinations and when boosters are due
track_water_intake(milliliters): Record a glass of water
start_meditation(minutes): Start a guided meditation
call_emergency(location): Call an ambulance
`,
  finance: `
get_account_balance(account): Show the balance of a bank account
list_transactions(account, from, to): List the transactions of a bank account
transfer_money(from_account, iban, amount): Transfer money to another bank account
schedule_standing_order(iban, amount, interval): Schedule a recurring transfer
freeze_card(card_id): Block a debit or credit card
order_replacement_card(card_id): Order a replacement for a card
set_spending_limit(card_id, amount): Limit how much can be spent with a card
categorize_expense(transaction_id, category): Put a transaction into a category
create_budget(category, amount): Create a monthly budget for a category
submit_expense_report(receipts): Submit receipts for reimbursement by the employer
create_invoice(customer, items): Create an invoice for a customer
send_payment_reminder(invoice_id): Remind a customer of an unpaid invoice
record_payment(invoice_id, amount): Record that an invoice was paid
refund_payment(payment_id, amount): Refund a payment to a customer
get_stock_quote(symbol): Get the current price of a share
buy_shares(symbol, quantity): Buy shares on the stock exchange
sell_shares(symbol, quantity): Sell shares on the stock exchange
calculate_loan(amount, rate, years): Calculate the monthly installment of a loan
file_tax_return(year): File the tax return of a year
get_payslip(month): Show the payslip of a month
`,
};
