"""A shop in Django that knows nothing of Singleshot: python3 django_shop.py PORT DATABASE VISITORS-ORIGIN"""
import sys

import django
from django.conf import settings

port, database, visitors = sys.argv[1:]
settings.configure(
    SECRET_KEY="only for tests",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": database, "OPTIONS": {"timeout": 20}}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    INSTALLED_APPS=["django.contrib." + app for app in ("auth", "contenttypes", "sessions", "messages")],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
    ],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}],
    LOGIN_URL="/login",
    LOGOUT_REDIRECT_URL="/",
    # What docs/guide.md says to set behind ORIGIN_URL.
    CSRF_TRUSTED_ORIGINS=[visitors],
    USE_X_FORWARDED_HOST=True,
    SECURE_PROXY_SSL_HEADER=("HTTP_X_FORWARDED_PROTO", "https"),
)
django.setup()

from django import forms
from django.contrib import messages
from django.contrib.auth import login, views
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.management import call_command, execute_from_command_line
from django.db import connection, models
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template import engines
from django.urls import path


class Order(models.Model):
    amount = models.IntegerField()
    photo = models.CharField(max_length=100, default="")

    class Meta:
        app_label = "shop"


class OrderForm(forms.Form):
    amount = forms.IntegerField(min_value=1)
    photo = forms.FileField(required=False)


PAGE = """<!doctype html><html lang="en"><title>Shop</title>
{% for message in messages %}<p role="status">{{ message }}</p>{% endfor %}
<h1>{{ title }}</h1>
<form method="post" enctype="multipart/form-data">{% csrf_token %}{{ form.as_p }}<button>Save</button></form>
<form method="post" action="/logout">{% csrf_token %}<button>Sign out</button></form>"""


def page(request, title, form):
    context = {"title": title, "form": form, "messages": messages.get_messages(request)}
    return HttpResponse(engines["django"].from_string(PAGE).render(context, request))


def new(request):
    form = OrderForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        photo = form.cleaned_data["photo"]
        order = Order.objects.create(amount=form.cleaned_data["amount"], photo=photo.name if photo else "")
        messages.success(request, "Order placed")
        return redirect("order", order.pk)
    return page(request, "New order", form)  # with errors too, as Django does: 200


def order(request, pk):
    order = get_object_or_404(Order, pk=pk)
    form = OrderForm(request.POST or None, initial={"amount": order.amount})
    if request.method == "POST" and form.is_valid():
        order.amount = form.cleaned_data["amount"]
        order.save()
        return redirect("order", pk)
    return page(request, f"Order {pk}: {order.amount} {order.photo}", form)


def members(request):
    return (login_required(new) if request.method == "POST" else new)(request)


def sign_in(request):
    login(request, User.objects.get(username="ada"))
    return redirect("/")


urlpatterns = [
    path("", lambda request: HttpResponse(str(Order.objects.count()))),
    path("orders/new", new),
    path("orders/<int:pk>", order, name="order"),
    path("members/orders/new", members),
    path("sign-in", sign_in),
    path("logout", views.LogoutView.as_view()),
]

call_command("migrate", verbosity=0)
with connection.schema_editor() as editor:
    editor.create_model(Order)
User.objects.create_user("ada")
execute_from_command_line(["", "runserver", "--noreload", "127.0.0.1:" + port])
