"""Names of folders and categories that aren't topics: kinds of articles, vague nouns and languages; and words that
aren't interests: of time, order and measure.
"""

from django.conf.locale import LANG_INFO

_NO_TOPIC = """
    all articles blog blogs daily default favorites favourites feed feeds general home import imported inbox main misc
    miscellaneous my new news other others read reading reads rss sites stuff subscriptions test todo unread various web
    weekly uncategorised uncategorized unsorted

    analysis column columns comment commentary essay essays feature features interview interviews letters live notes
    note opinion photos podcast podcasts review reviews update updates video videos

    day days life people place places thing things time times way week year years
"""
_LANGUAGES = {
    str(info[name]).lower() for info in LANG_INFO.values() for name in ("name", "name_local") if name in info
} | {"中文", "chinese"}
_UNNAMED = """
    afternoon annual century centuries daily day days decade decades evening hour hours minute minutes moment month
    monthly months morning night second seconds today tomorrow tonight week weekend weekly weeks year yearly years
    yesterday

    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
    october november december spring summer autumn fall winter

    first third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth last next half quarter dozen hundred
    hundreds thousand thousands million millions billion billions trillion

    celsius cent cents centimeters centimetres degree degrees dollar dollars euro euros fahrenheit feet foot gallon
    gallons gram grams hectares inch inches kilogram kilograms kilometer kilometers kilometre kilometres kilometer kmh
    liter liters litre litres meter meters metre metres mile miles mph ounce ounces percent percentage pound pounds ton
    tonne tonnes tons yard yards

    heute gestern morgen tag tage tagen stunde stunden minute minuten sekunde sekunden woche wochen monat monate monaten
    jahr jahre jahren jahrhundert montag dienstag mittwoch donnerstag freitag samstag sonntag wochenende januar februar
    märz mai juni juli oktober dezember erste ersten zweite zweiten dritte dritten prozent grad euro millionen
    milliarden kilometer metern

    aujourd'hui hier demain jour jours heure heures semaine semaines mois année années siècle lundi mardi mercredi jeudi
    vendredi samedi dimanche janvier février mars avril juin juillet août septembre octobre novembre décembre premier
    première deuxième troisième pourcent degré degrés millions milliards kilomètres mètres
"""
UNNAMED_WORDS = frozenset(_UNNAMED.split())
NO_TOPICS = frozenset(_NO_TOPIC.split()) | _LANGUAGES
