# A shop in Rails that knows nothing of Singleshot: ruby rails_shop.rb PORT DATABASE VISITORS-ORIGIN
require "logger"
require "rails"
require "action_controller/railtie"
require "active_record/railtie"
require "rack/handler/puma"

port, database, visitors = ARGV
ENV["DATABASE_URL"] = "sqlite3:#{database}?timeout=20000"

class Shop < Rails::Application
  config.load_defaults 6.1
  config.root = File.dirname(ARGV[1])
  config.eager_load = true
  config.secret_key_base = "only for tests"
  config.logger = Logger.new($stderr)
  # What docs/guide.md says to set behind ORIGIN_URL.
  config.hosts << URI(ARGV[2]).host
end

Shop.initialize!

ActiveRecord::Schema.verbose = false
ActiveRecord::Schema.define { create_table(:orders) { |t| t.integer :amount; t.string :photo } }

class Order < ActiveRecord::Base
  validates :amount, numericality: { only_integer: true, greater_than: 0 }
end

class ShopController < ActionController::Base
  before_action(only: :members) { redirect_to "/login?return_to=/members/orders" unless session[:user] }

  PAGE = <<~ERB
    <!doctype html><html lang="en"><title>Shop</title><%= csrf_meta_tags %>
    <% if flash[:notice] %><p role="status"><%= flash[:notice] %></p><% end %>
    <h1><%= @title %></h1>
    <%= form_with model: @order, url: @action, local: true, multipart: true do |f| %>
      <%= f.label :amount %> <%= f.text_field :amount %> <%= f.file_field :photo %>
      <%= @order.errors.full_messages.to_sentence %> <%= f.submit "Save" %>
    <% end %>
    <%= button_to "Sign out", "/logout", method: :delete %>
  ERB

  def count = render(plain: Order.count)

  def new = form(Order.new, "New order", request.path.delete_suffix("/new"))

  def create
    order = Order.new(amount: params[:order][:amount], photo: params[:order][:photo]&.original_filename)
    return form(order, "New order", request.path, 422) unless order.save
    redirect_to "/orders/#{order.id}", notice: "Order placed", status: :see_other
  end
  alias members create

  def show
    order = Order.find(params[:id])
    form(order, "Order #{order.id}: #{order.amount} #{order.photo}", "/orders/#{order.id}")
  end

  def update
    order = Order.find(params[:id])
    return form(order, "Order #{order.id}", request.path, 422) unless order.update(amount: params[:order][:amount])
    redirect_to "/orders/#{order.id}"
  end

  def sign_in
    session[:user] = "ada"
    redirect_to "/"
  end

  def sign_out
    reset_session
    redirect_to "/"
  end

  private

  def form(order, title, action, status = 200)
    @order, @title, @action = order, title, action
    render inline: PAGE, status: status
  end
end

Shop.routes.draw do
  root "shop#count"
  get "orders/new" => "shop#new"
  post "orders" => "shop#create"
  get "orders/:id" => "shop#show"
  patch "orders/:id" => "shop#update"
  get "members/orders/new" => "shop#new"
  post "members/orders" => "shop#members"
  get "sign-in" => "shop#sign_in"
  delete "logout" => "shop#sign_out"
end
Rack::Handler::Puma.run(Shop, Host: "127.0.0.1", Port: port.to_i, Silent: true)
